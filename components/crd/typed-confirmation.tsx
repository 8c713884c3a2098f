"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type FormEvent, type RefObject, useId, useState } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { ApiErrorNotice } from "./api-error-notice.tsx";

interface Props {
  /** What has to be typed. */
  name: string;
  /** Whose name it is, as in "the definition's name". */
  whose: string;
  label: string;
  pendingLabel?: string;
  closeLabel?: string;
  /** Whether nothing else is missing. */
  isReady?: boolean;
  isPending: boolean;
  error: Error | null;
  inputRef?: RefObject<HTMLInputElement | null>;
  onConfirm: () => void;
}

/** The end of an alert dialog about what is not done lightly: its button works once the name is typed. */
export function TypedConfirmation(props: Props) {
  const { name, whose, label, pendingLabel = label, closeLabel = "Keep it", isReady = true, isPending, error, inputRef, onConfirm } = props;
  const [typed, setTyped] = useState("");
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name && isReady) onConfirm();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-x-2">
          <label htmlFor={id} className="font-medium">
            Type {whose} to confirm
          </label>
          <CopyButton text={name} label={`Copy ${whose}`} />
        </div>
        <p className="font-mono text-xs text-ink-soft [overflow-wrap:anywhere] select-all">{name}</p>
        <input
          ref={inputRef}
          id={id}
          value={typed}
          onChange={(event) => setTyped(event.target.value.trim())}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          className="h-9 w-full rounded border border-line-strong bg-page px-2.5 font-mono text-sm"
        />
      </div>
      {error ? <ApiErrorNotice error={error} /> : null}
      <div className="flex justify-end gap-2">
        <AlertDialog.Close className={buttonClass("quiet")}>{closeLabel}</AlertDialog.Close>
        <Button type="submit" weight="danger" disabled={typed !== name || !isReady || isPending}>
          {isPending ? pendingLabel : label}
        </Button>
      </div>
    </form>
  );
}
