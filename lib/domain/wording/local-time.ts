/**
 * A time (RFC 3339) for the person at this clock: "13:36", with the date if it is not today. `zone` is an IANA time zone, the process's own
 * if omitted. Invalid times are returned unchanged.
 */
export function localTime(at: string, now: number, zone?: string): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return at;
  const inZone = zone === undefined ? {} : { timeZone: zone };
  const day = (date: Date) => date.toLocaleDateString("en-GB", { ...inZone, day: "numeric", month: "short", year: "numeric" });
  const time = moment.toLocaleTimeString("en-GB", { ...inZone, hour: "2-digit", minute: "2-digit" });
  return day(moment) === day(new Date(now)) ? time : `${day(moment)}, ${time}`;
}

/** The server's clock may be ahead of the reader's. */
const AHEAD_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * crdshift's own sentences with the times of `clockTime`, which are UTC, in local time. Not for text from the cluster, which must stay
 * as it is. A time without a date is the last one before `now`: the sentence may have been written before midnight UTC.
 */
export function localTimes(text: string, now: number, zone?: string): string {
  return text.replaceAll(/(?:\b(\d{4}-\d{2}-\d{2}) )?\b(\d{2}:\d{2}) UTC\b/g, (_, date: string | undefined, time: string) => {
    const moment = Date.parse(`${date ?? new Date(now).toISOString().slice(0, 10)}T${time}:00Z`);
    const isYesterday = date === undefined && moment > now + AHEAD_MS;
    return localTime(new Date(isYesterday ? moment - DAY_MS : moment).toISOString(), now, zone);
  });
}

/** A time (RFC 3339) for people at `now` (ms): "05:36 UTC", with the date if it is not today. Invalid times are returned unchanged. */
export function clockTime(at: string, now: number): string {
  if (Number.isNaN(Date.parse(at))) return at;
  const moment = new Date(at).toISOString();
  const date = moment.slice(0, 10);
  const time = `${moment.slice(11, 16)} UTC`;
  return date === new Date(now).toISOString().slice(0, 10) ? time : `${date} ${time}`;
}
