"use client";

import { type FormEvent, useId, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { fieldClass } from "#components/ui/field-class.ts";

interface Props {
  onToken: (token: string) => void;
  isPending: boolean;
  error: Error | null;
}

/** Takes a bearer token. The field has no name, so that no form without scripts puts it into an address. */
export function TokenForm({ onToken, isPending, error }: Props) {
  const id = useId();
  const [token, setToken] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (token.trim()) onToken(token);
  };
  return (
    <form onSubmit={submit} className="flex w-full flex-col items-start gap-2">
      <label htmlFor={id} className="text-sm font-medium text-ink">
        Bearer token
      </label>
      <input
        id={id}
        type="password"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={token}
        onChange={(event) => setToken(event.target.value)}
        aria-invalid={error !== null}
        aria-describedby={error ? `${id}-error` : undefined}
        className={`${fieldClass} w-full font-mono text-ink`}
      />
      {error ? (
        <div id={`${id}-error`} className="w-full">
          <ApiErrorNotice error={error} />
        </div>
      ) : null}
      <Button type="submit" weight="primary" disabled={!token.trim() || isPending}>
        {isPending ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}
