"use client";

import { Popover } from "@base-ui/react/popover";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { menuPopupClass } from "#components/ui/menu-class.ts";
import { Time } from "#components/ui/time.tsx";
import { clusterRoleYaml, type NeededRight, rightWords } from "#lib/domain/needed-rights.ts";
import { rightsQuery } from "#lib/queries/rights-query.ts";
import { useSession } from "#lib/queries/use-session.ts";
import { pluralOf } from "./plural-of.ts";
import { rightsQuestion } from "./rights-question.ts";

interface Props {
  cluster: string;
  crd: string;
  /** At least one. */
  rights: readonly NeededRight[];
  /** The button that is off without them. */
  buttonId: string;
}

const blockClass = "flex flex-col gap-1.5";
const headingClass = "text-xs font-medium text-ink-soft";

/** Stands beside a button that is off for want of rights, and opens what they are, how to ask for them, and what gives them. */
export function MissingRights({ cluster, crd, rights, buttonId }: Props) {
  const id = useId();
  const asOf = useQuery(rightsQuery(cluster, crd)).data?.asOf;
  const { heading, commands } = rightsQuestion(rights, cluster, useSession());
  return (
    <Popover.Root>
      <Popover.Trigger
        id={id}
        aria-labelledby={`${id} ${buttonId}`}
        className="h-6 rounded px-1 text-xs whitespace-nowrap text-ink-soft underline underline-offset-2 hover:text-ink"
      >
        Why not?
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Popover.Popup className={`${menuPopupClass} flex w-[36rem] max-w-(--available-width) flex-col gap-3 px-4 py-3!`}>
            <Popover.Title className="font-semibold">Rights that are missing</Popover.Title>
            <Popover.Description render={<ul />} className="flex flex-col gap-1 [overflow-wrap:anywhere]">
              {rights.map((right) => (
                <li key={rightWords(right)}>
                  You may not <span className="font-mono text-xs">{rightWords(right)}</span> ({right.why}).
                </li>
              ))}
            </Popover.Description>
            <div className={blockClass}>
              <h3 className={headingClass}>{heading}</h3>
              <CodeBlock text={commands.join("\n")} copyLabel={commands.length === 1 ? "Copy the command" : "Copy the commands"} />
            </div>
            <div className={blockClass}>
              <h3 className={headingClass}>A ClusterRole that gives {rights.length === 1 ? "it" : "them"}, once it is bound to you:</h3>
              <CodeBlock text={clusterRoleYaml(`crdshift-${pluralOf(crd)}`, rights)} copyLabel="Copy the ClusterRole" />
            </div>
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-xs text-ink-soft">
                {asOf ? (
                  <>
                    The cluster was asked at <Time at={asOf} seconds />; this page asks again by itself.
                  </>
                ) : null}
              </p>
              <Popover.Close className={buttonClass("quiet")}>Close</Popover.Close>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
