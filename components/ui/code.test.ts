import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { CodeBlock } from "./code.tsx";

const render = (text: string) => renderToStaticMarkup(createElement(CodeBlock, { text, copyLabel: "Copy" }));
const unbroken = (text: string) => [...render(text).matchAll(/<span class="whitespace-nowrap">([^<]*)</g)].map(([, flag]) => flag);

test("a line never wraps within a flag, but does within what is too long for a narrow screen", () => {
  expect(unbroken("kubectl patch crd a-b --subresource=status -o json -p '{\"a\":1}'")).toEqual(["--subresource=status", "-o", "-p"]);
  expect(unbroken("kubectl get a --field-selector=involvedObject.name=crontabs.stable.example.com")).toEqual([]);
});

test("the text stays the same", () => {
  const text = "kubectl get a --raw\n  -o yaml";
  expect(render(text).replaceAll(/<[^>]*>/g, "")).toContain(text);
});
