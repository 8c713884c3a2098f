"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type FormEvent, type RefObject, useId, useState } from "react";
import { CopyButton } from "#components/ui/code.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { ApiErrorNotice } from "./api-error-notice.tsx";

interface Props {
  /** The text to type. */
  name: string;
  /** Whose name it is, as in "the definition's name". */
  whose: string;
  label: string;
  pendingLabel: string;
  isPending: boolean;
  error: Error | null;
  inputRef?: RefObject<HTMLInputElement | null>;
  onConfirm: () => void;
}

/** The end of an alert dialog for a risky action: the button is enabled once the name is typed. */
export function TypedConfirmation(props: Props) {
  const { name, whose, label, pendingLabel, isPending, error, inputRef, onConfirm } = props;
  const [typed, setTyped] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === name) onConfirm();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TypedNameField {...{ name, whose, typed, inputRef }} onChange={setTyped} />
      {error ? <ApiErrorNotice error={error} /> : null}
      <div className="flex justify-end gap-2">
        <AlertDialog.Close className={buttonClass("quiet")}>Cancel</AlertDialog.Close>
        <Button type="submit" weight="danger" disabled={typed !== name || isPending}>
          {isPending ? pendingLabel : label}
        </Button>
      </div>
    </form>
  );
}

interface TypedNameFieldProps {
  /** The text to type. */
  name: string;
  /** Whose name it is, as in "the definition's name". */
  whose: string;
  typed: string;
  onChange: (typed: string) => void;
  inputRef?: RefObject<HTMLInputElement | null> | undefined;
}

/** The field for typing a name to confirm a risky action. */
export function TypedNameField({ name, whose, typed, onChange, inputRef }: TypedNameFieldProps) {
  const id = useId();
  const isOther = !name.startsWith(typed);
  return (
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
        onChange={(event) => onChange(event.target.value.trim())}
        aria-invalid={isOther}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="h-9 w-full rounded border border-line-strong bg-page px-2.5 font-mono text-sm aria-invalid:border-blocked"
      />
    </div>
  );
}
