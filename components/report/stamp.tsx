/** A moment in UTC, whole: on paper nobody knows the reader's day or zone. */
export function Stamp({ at }: { at: string }) {
  const text = new Date(at).toISOString();
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {text.slice(0, 10)} {text.slice(11, 19)} UTC
    </time>
  );
}
