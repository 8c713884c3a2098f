/**
 * Whether no other text is the same token. API servers ignore the padding of a JWT's parts, and the bits of a part's last character that
 * encode nothing, so each JWT has many spellings. Whoever used them all would be as many people. Tokens of other kinds have one.
 */
export function hasOneSpelling(token: string): boolean {
  const parts = token.split(".");
  if (parts.length !== 3 || !isHeader(parts[0] ?? "")) return true;
  return parts.every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** Whether it is a JWT's header (RFC 7515). A token of another kind may have three parts, too. */
function isHeader(part: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return typeof header === "object" && header !== null;
  } catch {
    return false;
  }
}
