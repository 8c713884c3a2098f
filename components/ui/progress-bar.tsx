import { Progress } from "@base-ui/react/progress";
import { clsx } from "clsx";

/** A progress bar for `done` of `total`; indeterminate while `total` is null. Browser only, since its width is an inline style. */
export function ProgressBar(props: { label: string; done: number; total: number | null; idle?: boolean; className?: string }) {
  const { label, done, total, idle = false, className } = props;
  const value = total === null ? null : total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
  return (
    <Progress.Root aria-label={label} value={value} className={className}>
      <Progress.Track className="block h-1.5 overflow-hidden rounded-full bg-line">
        <Progress.Indicator
          className={clsx("block h-full transition-[width] duration-300 data-indeterminate:w-0", idle ? "bg-line-strong" : "bg-working")}
        />
      </Progress.Track>
    </Progress.Root>
  );
}
