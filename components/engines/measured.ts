import { z } from "zod";
import measuredJson from "./measured.json";

const speedSchema = z.object({ seconds: z.number(), objectsPerSecond: z.number() });

const measuredSchema = z.object({
  measuredAt: z.string(),
  machine: z.string(),
  kubernetes: z.string(),
  objects: z.int(),
  engines: z.object({ crdshift: speedSchema, inTree: speedSchema, kubectlReplace: speedSchema, bareLoop: speedSchema }),
});
export type Measured = z.infer<typeof measuredSchema>;

/** What `npm run bench` last measured of the engines; null until it has, for half a measurement says nothing. */
export const measured: Measured | null = readMeasured(measuredJson);

export function readMeasured(json: unknown): Measured | null {
  return measuredSchema.safeParse(json).data ?? null;
}
