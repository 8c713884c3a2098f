import { execFile } from "node:child_process";

/** npm's output in a folder, by default the current one. A failing exit code is not an error, as npm prints JSON with it. */
export function runNpm(args: string[], folder = "."): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile("npm", args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ stdout, stderr: stderr || (error?.message ?? "") });
    });
  });
}
