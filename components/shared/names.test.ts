import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { ResourceVersion } from "./names.tsx";

test("a resourceVersion has no thousands separators", () => {
  expect(renderToStaticMarkup(createElement(ResourceVersion, { value: "4440" }))).toMatch(/>4440</);
});
