import { clsx } from "clsx";

/** A column's width, alignment and visibility, for header, cells and skeleton. */
export function columnClass(id: string): string {
  return clsx("px-2 first:pl-0 last:pr-0", classes[id]);
}

const classes: Record<string, string> = {
  name: "text-left md:w-[38%] lg:w-[25%]",
  versions: "text-left max-lg:hidden lg:w-[20%]",
  stored: "text-left max-lg:hidden lg:w-[13%]",
  objects: "text-right max-md:hidden md:w-24",
  state: "text-left max-md:hidden md:pl-6",
};
