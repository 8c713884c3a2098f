import { type RefObject, useId } from "react";
import { CopyButton } from "#components/ui/copy-button.tsx";

interface Props {
  /** What has to be typed. */
  name: string;
  /** Whose name it is, as in "the definition's name". */
  whose: string;
  typed: string;
  onChange: (typed: string) => void;
  inputRef?: RefObject<HTMLInputElement | null> | undefined;
}

/** Where a name has to be typed before something is done that is not done lightly. */
export function TypedNameField({ name, whose, typed, onChange, inputRef }: Props) {
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
