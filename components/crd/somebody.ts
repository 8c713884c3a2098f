import { knownUser } from "#lib/domain/known-user.ts";

/** Who did something, by a record; in words where it does not tell. */
export function somebody(user: string | null): string {
  return knownUser(user) ?? "somebody unknown";
}
