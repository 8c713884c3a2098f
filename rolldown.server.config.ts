import { defineConfig } from "rolldown";

/**
 * The server's own code with the Kubernetes client, in one file: loaded as it stands, the client's thousand models and Node's reading of
 * TypeScript cost 40 MB of memory. What it shares with the pages (undici's connections) and what only the demo needs stay outside.
 */
export default defineConfig({
  input: { main: "lib/server/main.ts" },
  platform: "node",
  external: [/^next($|\/)/, "undici", /^#lib\/local-cluster\//],
  output: { dir: "dist-server", cleanDir: true, format: "esm", entryFileNames: "[name].mjs" },
});
