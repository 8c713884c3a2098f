/** A time, with its date unless that is today or if asked for; the full form on hover. An invalid time is shown as given. */
export function Time({ at, seconds = false, dated = false }: { at: string; seconds?: boolean; dated?: boolean }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const today = !dated && date.toDateString() === new Date().toDateString();
  const text = date.toLocaleString("en-GB", {
    ...(today ? {} : { day: "numeric", month: "short", year: "numeric" }),
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
  });
  return (
    <time dateTime={at} title={date.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" })} className="whitespace-nowrap">
      {text}
    </time>
  );
}
