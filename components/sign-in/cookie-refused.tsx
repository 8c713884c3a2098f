"use client";

import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";

/** Shown if the server accepted the sign-in but the browser dropped the cookie. */
export function CookieRefused({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="Your browser blocked the sign-in cookie">
      <p role="alert">crdshift accepted the sign-in and sent a cookie, but your browser didn't send it back, so you aren't signed in.</p>
      <ul className="flex list-disc flex-col gap-1 pl-4 [overflow-wrap:anywhere]">
        {cookieAdvice(window.location).map((advice) => (
          <li key={advice}>{advice}</li>
        ))}
      </ul>
      <Button onClick={onRetry}>Sign in again</Button>
    </EmptyState>
  );
}

/** What to do if the browser dropped the sign-in cookie. */
export function cookieAdvice({ protocol, host, hostname, port }: Pick<Location, "protocol" | "host" | "hostname" | "port">): string[] {
  const allow = `Allow cookies for ${host}. Ad blockers, private windows and browser policies can block them.`;
  if (protocol === "https:" || isThisMachine(hostname)) return [allow];
  const local = `http://localhost${port ? `:${port}` : ""}`;
  return [
    `Open crdshift at its https address, or at ${local} on the machine where it runs or is forwarded to. This page came from ${host} over plain http, where browsers may drop the cookie.`,
    allow,
  ];
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
