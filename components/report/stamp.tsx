import { stampText } from "./stamp-text.ts";

/** A moment in UTC, whole: on paper nobody knows the reader's day or zone. */
export function Stamp({ at }: { at: string }) {
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {stampText(at)}
    </time>
  );
}
