import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shareChunks } from "./share-chunks.ts";

const chunk = (content: string, name: string) => `${content}\n\n//# sourceMappingURL=${encodeURIComponent(name)}.map`;

test("chunks with equal content become one file, and all references point to it", () => {
  const server = mkdtempSync(path.join(tmpdir(), "crdshift-chunks-"));
  onTestFinished(() => rmSync(server, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(server, file)), { recursive: true });
    writeFileSync(path.join(server, file), text);
  };
  for (const name of ["[root]__a._.js", "[root]__b._.js", "[root]__c._.js"]) {
    write(`chunks/${name}`, chunk(name.includes("c") ? "module.exports=[2]" : "module.exports=[1]", name));
    write(`chunks/${name}.map`, "{}");
  }
  write("app/api/x/route.js", 'R.c("server/chunks/[root]__b._.js")\nR.c("server/chunks/[root]__c._.js")');
  write("app/api/x/route.js.nft.json", '{"files":["../../../chunks/[root]__b._.js"]}');
  write("app/api/x/route.js.map", "[root]__b._.js");

  expect(shareChunks(server)).toBe(1);
  expect(readdirSync(path.join(server, "chunks")).toSorted()).toEqual(
    ["[root]__a._.js", "[root]__a._.js.map", "[root]__c._.js", "[root]__c._.js.map"].toSorted(),
  );
  const read = (file: string) => readFileSync(path.join(server, file), "utf8");
  expect(read("app/api/x/route.js")).toBe('R.c("server/chunks/[root]__a._.js")\nR.c("server/chunks/[root]__c._.js")');
  expect(read("app/api/x/route.js.nft.json")).toContain("[root]__a._.js");
  expect(shareChunks(server)).toBe(0);
});
