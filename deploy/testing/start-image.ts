import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The image's root file system in a folder: what the Dockerfile copies into it, and a Node. */
export interface Image {
  /** The folder that is its root. */
  root: string;
  /** Its packages by name. */
  packages: string[];
  /** Starts its command as its user, in that root alone, which is read-only. */
  start(container: ContainerOptions): Promise<RunningImage>;
  remove(): void;
}

interface ContainerOptions {
  /** What the pod adds to the image's own environment. */
  env: Record<string, string>;
  /** Files of this machine by the path at which the container has them. */
  mounted: Record<string, string>;
}

export interface RunningImage {
  url: string;
  /** What it has printed so far, on both streams. */
  output(): string;
  /** SIGTERM, as the kubelet sends it. Resolves to the exit code, null where a signal ended it. */
  stop(): Promise<number | null>;
}

const project = path.resolve(import.meta.dirname, "../..");

/** Assembles the image as the Dockerfile does, from the build of this checkout. Takes root, and about two seconds. */
export function assembleImage(): Image {
  const { workdir, user, entrypoint, env: ofImage } = readDockerfile();
  const root = mkdtempSync(path.join(tmpdir(), "crdshift-image-"));
  // As COPY makes folders, and not for root alone as mkdtemp does.
  chmodSync(root, 0o755);
  const app = path.join(root, workdir);
  const assembled = spawnSync(process.execPath, [path.join(project, "deploy/assemble-image.mjs"), app], { encoding: "utf8" });
  if (assembled.status !== 0) throw new Error(`The image could not be assembled: ${assembled.stderr}`);
  // The base image's.
  mkdirSync(path.join(root, "base"));
  mkdirSync(path.join(root, "tmp"), { mode: 0o1777 });
  copyFileSync(process.execPath, path.join(root, "base/node"));
  return {
    root,
    packages: packagesIn(path.join(app, "node_modules")),
    async start({ env, mounted }) {
      if (process.getuid?.() !== 0)
        throw new Error("Only root can make a read-only root and become another user: run the long tests as root.");
      for (const [file, from] of Object.entries(mounted)) {
        mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
        cpSync(from, path.join(root, file));
        chmodSync(path.join(root, file), 0o644);
      }
      const runner = path.join(import.meta.dirname, "run-image.sh");
      const [uid = ""] = user.split(":");
      const child = spawn("unshare", ["--mount", runner, root, uid, workdir, ...entrypoint], {
        env: { NODE_ENV: "production", PATH: "/base:/usr/sbin:/usr/bin:/sbin:/bin", ...ofImage, ...env },
        stdio: ["ignore", "pipe", "pipe"],
      });
      return follow(child);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function packagesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith("@") ? readdirSync(path.join(folder, name)).map((scoped) => `${name}/${scoped}`) : [name],
  );
}

function follow(child: ChildProcess): Promise<RunningImage> {
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  void exited.then(() => process.off("exit", kill));
  let output = "";
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const url = /ready at (http:\S+)\s/.exec(output)?.[1];
        if (!url) return;
        const stop = () => {
          child.kill("SIGTERM");
          return exited;
        };
        resolve({ url, output: () => output, stop });
      });
    }
    child.once("error", reject);
    child.once("close", () => reject(new Error(`The image's command did not start:\n${output}`)));
  });
}

/** What the Dockerfile says of the image's container. */
interface ImageConfig {
  entrypoint: string[];
  env: Record<string, string>;
  user: string;
  workdir: string;
  port: number;
}

/** Reads the last stage of the Dockerfile, which is the image. */
export function readDockerfile(): ImageConfig {
  const text = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  const stage = text.slice(text.lastIndexOf("\nFROM "));
  const instruction = (name: string) => new RegExp(`^${name} (.*)$`, "m").exec(stage)?.[1] ?? "";
  return {
    entrypoint: JSON.parse(instruction("ENTRYPOINT")),
    env: Object.fromEntries(
      instruction("ENV")
        .split(" ")
        .map((pair) => pair.split("=")),
    ),
    user: instruction("USER"),
    workdir: instruction("WORKDIR"),
    port: Number(instruction("EXPOSE")),
  };
}
