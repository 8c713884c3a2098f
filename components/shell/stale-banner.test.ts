import { expect, test } from "vitest";
import { portForward } from "./stale-banner.tsx";

const command = (port: number) => `kubectl --namespace crdshift port-forward service/crdshift ${port}:3000`;

test.each([
  ["http://localhost:3000/clusters/a", command(3_000)],
  ["http://127.0.0.1:8080/", command(8_080)],
  ["http://[::1]:9000/", command(9_000)],
  ["http://crds.localhost/", command(80)],
  ["https://crds.example.com/", null],
  ["https://localhost:3000/", null],
  ["http://127.0.0.1.example.com:3000/", null],
])("%s reconnects with %s", (address, expected) => {
  expect(portForward(new URL(address))).toBe(expected);
});
