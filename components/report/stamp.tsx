/** A moment in UTC, whole: on paper nobody knows the reader's day or zone. */
export function Stamp({ at }: { at: string }) {
  return (
    <time dateTime={at} className="whitespace-nowrap">
      {stampText(at)}
    </time>
  );
}

/** A moment in UTC, whole; what is no time, or beyond the years 0 to 9999, stands as it is. */
export function stampText(at: string): string {
  const moment = new Date(at);
  const text = Number.isNaN(moment.getTime()) ? "" : moment.toISOString();
  // A year of more digits is written in another form.
  return /^\d{4}-/.test(text) ? `${text.slice(0, 10)} ${text.slice(11, 19)} UTC` : at;
}
