import { expect, test } from "vitest";
import { isNpm } from "./watch-npm.mjs";

// Without isNpm (watch-npm.mjs) what npm starts as a container's first process is ended at once, or never.
test.each([
  [true, ["npm start", "", ""]],
  [true, ["npm start --demo"]],
  [true, ["node", "/usr/local/bin/npm", "start"]],
  [true, ["/usr/bin/node", "/usr/lib/node_modules/npm/bin/npm-cli.js", "start"]],
  [true, ["node", "/opt/yarn/bin/yarn.js", "start"]],
  [true, ["node", ".yarn/releases/yarn-4.1.0.cjs", "start"]],
  [false, ["/sbin/init", "splash"]],
  [false, ["/lib/systemd/systemd", "--user"]],
  [false, ["sh", "-c", "npm start; sleep 1"]],
  [false, ["/usr/bin/tini", "--", "npm", "start"]],
  [false, ["node", "/srv/npmish.js"]],
  [false, []],
])("it is %s that process 1 is npm if it is called %j", (expected, words) => {
  expect(isNpm(words)).toBe(expected);
});
