import { expect, test } from "vitest";
import { requestsIn } from "./version-requests.ts";

const resource = { group: "stable.example.com", plural: "crontabs" };
const OURS = 'group="stable.example.com",resource="crontabs"';
const counter = (labels: string, value: number | string, ours = OURS) =>
  `apiserver_request_total{code="200",component="apiserver",dry_run="",${ours},scope="resource",subresource="",verb="GET",version="v1",${labels}} ${value}`;

test("sums up what differs in labels that are not told apart, most requests first", async () => {
  const told = await requestsIn(
    [
      "# HELP process_start_time_seconds [ALPHA] Start time of the process since unix epoch in seconds.",
      "process_start_time_seconds 1.76378161234e+09",
      counter("", 3),
      counter('dry_run="All"', 4),
      counter('scope="namespace",verb="LIST"', 9),
      counter('verb="PATCH",subresource="status",version="v1beta1",code="409"', 1),
    ],
    resource,
  );
  expect(told).toEqual({
    startedAt: "2025-11-22T03:20:12.340Z",
    requests: [
      { version: "v1", verb: "LIST", code: "200", subresource: "", requests: 9 },
      { version: "v1", verb: "GET", code: "200", subresource: "", requests: 7 },
      { version: "v1beta1", verb: "PATCH", code: "409", subresource: "status", requests: 1 },
    ],
    openWatches: [],
    deprecatedRequested: [],
  });
});

test("tells open watches, and what was requested while it was deprecated", async () => {
  const told = await requestsIn(
    [
      counter("", 1, 'group="",resource="pods"'),
      `apiserver_longrunning_requests{component="apiserver",${OURS},scope="cluster",subresource="",verb="WATCH",version="v1"} 2`,
      `apiserver_longrunning_requests{component="apiserver",${OURS},scope="namespace",subresource="",verb="WATCH",version="v1"} 1`,
      `apiserver_longrunning_requests{component="apiserver",${OURS},scope="cluster",subresource="",verb="WATCH",version="v1beta1"} 0`,
      `apiserver_requested_deprecated_apis{${OURS},removed_release="",subresource="",version="v1beta1"} 1`,
      `apiserver_requested_deprecated_apis{${OURS},removed_release="",subresource="status",version="v1beta1"} 1`,
    ],
    resource,
  );
  expect(told).toEqual({
    startedAt: null,
    requests: [],
    openWatches: [{ version: "v1", watches: 3 }],
    deprecatedRequested: [
      { version: "v1beta1", subresource: "" },
      { version: "v1beta1", subresource: "status" },
    ],
  });
});

test("leaves out other resources, odd values, and versions that no definition can have", async () => {
  const { requests, startedAt } = await requestsIn(
    [
      "process_start_time_seconds 1e+300",
      counter("", 1, 'group="example.com",resource="crontabs"'),
      counter("", 1, 'group="stable.example.com",resource="crontabs2"'),
      ...["NaN", "-1", "1.5", "+Inf", 0].map((value) => counter("", value)),
      // A path that was turned away for overload, with what looks like another line.
      counter(String.raw`version="v1\"} 7\napiserver_request_total{"`, 1),
      counter('version="V1"', 1),
      counter('version=""', 1),
    ],
    resource,
  );
  expect({ requests, startedAt }).toEqual({ requests: [], startedAt: null });
});

test("does not call it zero where requests are not counted at all", async () => {
  const lines = ["process_start_time_seconds 1.7e+09", `apiserver_requested_deprecated_apis{${OURS},version="v1"} 1`];
  await expect(requestsIn(lines, resource)).rejects.toMatchObject({
    code: "precondition_failed",
    nextStep: expect.stringContaining("audit log"),
  });
});
