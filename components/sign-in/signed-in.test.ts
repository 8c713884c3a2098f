import { expect, test } from "vitest";
import { cookieAdvice } from "./signed-in.tsx";

test.each([
  "http://localhost:3000/",
  "http://a.localhost/",
  "http://127.0.0.2:3000/",
  "http://[::1]:3000/",
  "https://crdshift.example.com/",
])("at %s, it advises allowing cookies", (address) => {
  const url = new URL(address);
  expect(cookieAdvice(url)).toEqual([expect.stringContaining(`Allow cookies for ${url.host}.`)]);
});

test.each([
  ["http://crdshift.example.com/", "http://localhost on"],
  ["http://10.0.0.1:3000/", "http://localhost:3000 on"],
  ["http://127.0.0.1.example.com:81/", "http://localhost:81 on"],
])("at %s, it advises another address first", (address, local) => {
  const [first, second] = cookieAdvice(new URL(address));
  expect(first).toContain(local);
  expect(second).toContain("Allow cookies");
});
