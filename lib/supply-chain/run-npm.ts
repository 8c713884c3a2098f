import { execFile } from "node:child_process";

/** What npm printed in a folder, here unless told otherwise, however it ended: it gives JSON and an exit code at once. */
export function runNpm(args: string[], folder = "."): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile("npm", args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ stdout, stderr: stderr || (error?.message ?? "") });
    });
  });
}
