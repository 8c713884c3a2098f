import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Replaces chunks with the same content in a server's build by one, with all references pointing to it. Turbopack names a chunk by more
 * than its content and writes code shared by nearly all routes two dozen times, which Next loads at startup.
 * Returns the number of removed chunks.
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

// Without the last line, which names the chunk's source map.
function contentOf(file: string): string {
  return readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "");
}

// The last step of building the pages.
if (import.meta.main) {
  const count = shareChunks(path.join(import.meta.dirname, "../../.next/server"));
  console.log(`Shared ${count} duplicate server chunks.`);
}
