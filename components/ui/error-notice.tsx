import type { ReactNode } from "react";
import { Notice } from "./notice.tsx";

/** An error: what failed, the original message, and the next step. */
export function ErrorNotice(props: { message: string; cause?: string | undefined; nextStep?: string | undefined; children?: ReactNode }) {
  return (
    <Notice tone="blocked" role="alert" title={props.message}>
      {props.cause && props.cause !== props.message ? (
        <p dir="auto" className="font-mono text-xs">
          {props.cause}
        </p>
      ) : null}
      {props.nextStep ? <p>{props.nextStep}</p> : null}
      {props.children}
    </Notice>
  );
}
