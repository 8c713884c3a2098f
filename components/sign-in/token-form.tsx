"use client";

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { ErrorNotice } from "#components/ui/error-notice.tsx";
import { fieldClass } from "#components/ui/field-class.ts";

interface Props {
  onToken: (token: string) => void;
  isPending: boolean;
  error: Error | null;
  /** Whether nothing else on the page is to be read first. */
  takesFocus: boolean;
}

/** Takes a bearer token. The field has no name, so that no form without scripts puts it into an address. */
export function TokenForm({ onToken, isPending, error, takesFocus }: Props) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [token, setToken] = useState("");
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isEmpty = !token.trim();
    setMissing(isEmpty);
    if (isEmpty) field.current?.focus();
    else if (!isPending) onToken(token);
  };
  const isWrong = isMissing || error !== null;
  return (
    <form onSubmit={submit} className="flex w-full flex-col items-start gap-2">
      <label htmlFor={id} className="text-sm font-medium text-ink">
        Bearer token
      </label>
      <input
        ref={field}
        id={id}
        type="password"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={token}
        onChange={(event) => {
          setToken(event.target.value);
          setMissing(false);
        }}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-error` : undefined}
        className={`${fieldClass} w-full font-mono text-ink`}
      />
      {isWrong ? (
        <div id={`${id}-error`} className="w-full">
          {isMissing || error === null ? <ErrorNotice message="Paste a token first." /> : <ApiErrorNotice error={error} />}
        </div>
      ) : null}
      <Button type="submit" weight="primary" disabled={isPending}>
        {isPending ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}
