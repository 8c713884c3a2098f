"use client";

import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { cookieAdvice } from "./cookie-advice.ts";

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
