/** What stands in a record for a user whose name the API server would not say. */
export const UNKNOWN_USER = "unknown";

/** The user as the API server calls it; null where it did not say. */
export function knownUser(user: string | null): string | null {
  return user === UNKNOWN_USER ? null : user;
}
