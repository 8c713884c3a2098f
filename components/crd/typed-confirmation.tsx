"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { type FormEvent, type RefObject, useState } from "react";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { ApiErrorNotice } from "./api-error-notice.tsx";
import { TypedNameField } from "./typed-name-field.tsx";

interface Props {
  /** What has to be typed. */
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

/** The end of an alert dialog about what is not done lightly: its button works once the name is typed. */
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
        <AlertDialog.Close className={buttonClass("quiet")}>Keep it</AlertDialog.Close>
        <Button type="submit" weight="danger" disabled={typed !== name || isPending}>
          {isPending ? pendingLabel : label}
        </Button>
      </div>
    </form>
  );
}
