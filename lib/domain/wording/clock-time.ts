/** A time (RFC 3339) for people at `now` (ms): "05:36 UTC", with the date if it is not today. Invalid times are returned unchanged. */
export function clockTime(at: string, now: number): string {
  if (Number.isNaN(Date.parse(at))) return at;
  const moment = new Date(at).toISOString();
  const date = moment.slice(0, 10);
  const time = `${moment.slice(11, 16)} UTC`;
  return date === new Date(now).toISOString().slice(0, 10) ? time : `${date} ${time}`;
}
