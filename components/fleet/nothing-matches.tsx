import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { recogniseApiError } from "./recognise-api-error.ts";

/** Stands where the table would when the filters leave nothing. */
export function NothingMatches({ text, onClear }: { text: string; onClear: () => void }) {
  return (
    <EmptyState title="No definition matches" level="h2">
      <p className="[overflow-wrap:anywhere]">
        {text && !recogniseApiError(text)
          ? `Nothing here has “${text}” in its name, group or kind with the filters that are set.`
          : "Nothing here fits the filters that are set."}
      </p>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyState>
  );
}
