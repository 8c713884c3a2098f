/** The last step of building the pages. */
import path from "node:path";
import { shareChunks } from "./share-chunks.ts";

const count = shareChunks(path.join(import.meta.dirname, "../../../.next/server"));
console.log(`Shared ${count} duplicate server chunks.`);
