/** The last step of the pages' build. */
import path from "node:path";
import { shareChunks } from "./share-chunks.ts";

const count = shareChunks(path.join(import.meta.dirname, "../../../.next/server"));
console.log(`${count} chunks of the server had the content of another, and are shared.`);
