import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { ApiError } from "#lib/queries/api-client.ts";

/** Why the launch link did not sign in; where that may pass, it can be tried again. */
export function LaunchFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className="w-full">
      <ApiErrorNotice error={error}>{mayPass(error) ? <Button onClick={onRetry}>Try again</Button> : null}</ApiErrorNotice>
    </div>
  );
}

function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}
