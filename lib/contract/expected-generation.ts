import { z } from "zod";

/** The generation of the definition that somebody looked at before they decided; without it any will do. */
export const expectedGeneration = z.int().positive().optional();
