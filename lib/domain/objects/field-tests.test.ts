import { expect, test } from "vitest";
import { fieldTests } from "./field-tests.ts";

test("tests labels, annotations, and every field but metadata, as they are written", () => {
  const metadata = `"metadata":{"annotations":{},"labels":{"a":"\\u003c"},"managedFields":[{}],"name":"one"}`;
  expect(fieldTests(`{"apiVersion":"v1","kind":"Widget",${metadata},"spec":{"a":1.0},"a~b/c":null,"x\\"y":[1]}`)).toEqual([
    `{"op":"test","path":"/metadata/labels","value":{"a":"\\u003c"}}`,
    `{"op":"test","path":"/metadata/annotations","value":{}}`,
    `{"op":"test","path":"/spec","value":{"a":1.0}}`,
    `{"op":"test","path":"/a~0b~1c","value":null}`,
    `{"op":"test","path":"/x\\"y","value":[1]}`,
  ]);
});
