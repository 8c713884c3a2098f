import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Of the chunks in a server's build that have the same content one stays, and every reference to the others leads to it. Turbopack
 * names a chunk by more than what it contains, and writes what nearly all routes share two dozen times, which Next loads at its start.
 * Returns how many went.
 */
export function shareChunks(server: string): number {
  const chunks = path.join(server, "chunks");
  const firstByContent = new Map<string, string>();
  const sharedAs = new Map<string, string>();
  for (const name of readdirSync(chunks).toSorted()) {
    if (!name.endsWith(".js")) continue;
    const hash = createHash("sha256")
      .update(contentOf(path.join(chunks, name)))
      .digest("hex");
    const first = firstByContent.get(hash);
    if (first === undefined) firstByContent.set(hash, name);
    else sharedAs.set(name, first);
  }
  for (const file of readdirSync(server, { recursive: true, encoding: "utf8" })) {
    if (!/\.(js|json)$/.test(file) || sharedAs.has(path.basename(file))) continue;
    const text = readFileSync(path.join(server, file), "utf8");
    const shared = [...sharedAs].reduce((result, [name, first]) => result.replaceAll(name, first), text);
    if (shared !== text) writeFileSync(path.join(server, file), shared);
  }
  for (const name of sharedAs.keys()) for (const gone of [name, `${name}.map`]) rmSync(path.join(chunks, gone), { force: true });
  return sharedAs.size;
}

// All but the last line, which names the chunk's own source map.
function contentOf(file: string): string {
  return readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "");
}
