"use client";

import { useId, useState } from "react";
import { fieldClass } from "#components/ui/field-class.ts";
import { parseWholeNumber } from "#components/ui/whole-number.ts";
import type { Preflight } from "#lib/contract/preflight.ts";
import { StartDryRunButton } from "./start-dry-run-button.tsx";

const MOST_OBJECTS = 10_000_000;

/** Starts the dry run anew, over as many objects as are asked for. */
export function RepeatDryRun({ cluster, preflight }: { cluster: string; preflight: Preflight }) {
  const id = useId();
  const [text, setText] = useState(() => preflight.sampleSize.toLocaleString("en-US"));
  const sampleSize = parseWholeNumber(text, MOST_OBJECTS);
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line py-6 text-sm">
      <label htmlFor={id}>Dry run again over at most</label>
      <input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        aria-invalid={!sampleSize}
        onChange={(event) => setText(event.target.value)}
        className={`${fieldClass} w-28 text-right`}
      />
      <span>objects</span>
      <StartDryRunButton
        cluster={cluster}
        crd={preflight.crd}
        label="Dry run again"
        sampleSize={sampleSize ?? undefined}
        disabled={!sampleSize}
      />
      {sampleSize ? null : <span className="text-blocked">A whole number from 1 to {MOST_OBJECTS.toLocaleString("en-US")}.</span>}
    </div>
  );
}
