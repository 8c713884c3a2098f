import { readFileSync } from "node:fs";

/** What the Dockerfile says of the image's container. */
export interface ImageConfig {
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
