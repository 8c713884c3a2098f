"use client";

import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

/** Stands where the server signed somebody in, and the browser did not keep the cookie. */
export function CookieRefused({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="Your browser did not keep the sign-in">
      <p role="alert">crdshift took the sign-in and sent a cookie, but the browser does not send it back, so you are not signed in.</p>
      <ul className="flex list-disc flex-col gap-1 pl-4 [overflow-wrap:anywhere]">
        {cookieAdvice(window.location).map((advice) => (
          <li key={advice}>{advice}</li>
        ))}
      </ul>
      <Button onClick={onRetry}>Sign in again</Button>
    </EmptyState>
  );
}

/** What to do where the browser did not keep the cookie that signs in. */
export function cookieAdvice({ protocol, host, hostname, port }: Pick<Location, "protocol" | "host" | "hostname" | "port">): string[] {
  const allow = `Allow cookies for ${host}. Blockers, private windows and policies of the browser may keep them away.`;
  if (protocol === "https:" || isThisMachine(hostname)) return [allow];
  const local = `http://localhost${port ? `:${port}` : ""}`;
  return [
    `Open crdshift at its https address, or at ${local} where it runs or is forwarded to: this page came from ${host} over plain http, where a browser may not keep it.`,
    allow,
  ];
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
