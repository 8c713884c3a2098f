import { chmodSync } from "node:fs";
import { defineConfig } from "rolldown";

/** The command line, with all it needs, in dist/; each command's code is a chunk of its own, loaded when it is called. */
export default defineConfig({
  input: { crdshift: "lib/cli/crdshift.mjs" },
  platform: "node",
  output: {
    dir: "dist",
    cleanDir: true,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "chunks/[name].mjs",
  },
  plugins: [
    {
      name: "executable",
      writeBundle: ({ dir }) => chmodSync(`${dir}/crdshift.mjs`, 0o755),
    },
  ],
});
