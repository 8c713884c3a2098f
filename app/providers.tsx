"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { ThemeProvider } from "next-themes";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { ProtectionPrompt } from "#components/shell/protection-prompt.tsx";
import { HintLayer } from "#components/ui/hint.tsx";
import { createQueryClient } from "#lib/queries/query-client.ts";
import { useSessionNews } from "#lib/queries/session/sign-in.ts";

/** The providers that every page needs. */
export function Providers({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [client] = useState(createQueryClient);
  return (
    <ThemeProvider attribute="class" defaultTheme="system" enableSystem {...(nonce ? { nonce } : {})}>
      <CSPProvider nonce={nonce}>
        <QueryClientProvider client={client}>
          <NuqsAdapter>
            {children}
            <HintLayer />
            <ProtectionPrompt />
            <SessionFollower />
          </NuqsAdapter>
        </QueryClientProvider>
      </CSPProvider>
    </ThemeProvider>
  );
}

/** Syncs the session with other tabs. */
function SessionFollower() {
  useSessionNews();
  return null;
}
