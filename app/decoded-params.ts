/** The names in a page's address, decoded. Next gives pages and layouts them as they stand in the URL. */
export async function decodedParams<Names extends Record<string, string>>(params: Promise<Names>): Promise<Names> {
  const decoded = Object.entries(await params).map(([key, value]) => [key, decodeURIComponent(value)]);
  // The same keys, each with a string.
  return Object.fromEntries(decoded) as Names;
}
