"use client";

import { Menu } from "@base-ui/react/menu";
import { useMutation } from "@tanstack/react-query";
import { CircleUserRound } from "lucide-react";
import { useRef } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { menuPopupClass } from "#components/ui/menu-class.ts";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import { signOut } from "#lib/queries/sign-in-mutations.ts";
import { useSession } from "#lib/queries/use-session.ts";
import { AccountItems } from "./account-items.tsx";
import { accountName } from "./account-name.ts";
import { ThemeItems } from "./theme-items.tsx";

/** Who one is here, the way out, and the theme. */
export function SessionMenu() {
  const session = useSession();
  const { mutate, error, reset } = useMutation(signOut());
  const landmark = useRef<HTMLDivElement>(null);
  return (
    <>
      <Menu.Root>
        {/* The menu is rendered here, not at the end of the body: all content belongs to a landmark. */}
        <div ref={landmark} className="absolute" />
        <Menu.Trigger
          aria-label="Account and theme"
          title={session ? accountName(session) : undefined}
          className="inline-flex size-8 items-center justify-center rounded text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <CircleUserRound size={16} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal container={landmark}>
          <Menu.Positioner sideOffset={4} align="end" className="z-50">
            <Menu.Popup className={`${menuPopupClass} w-[min(18rem,calc(100vw-2rem))]`}>
              <ThemeItems />
              {/* Last, so that nothing moves once it is known. */}
              {session ? <AccountItems session={session} onSignOut={() => mutate()} /> : null}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <MessageDialog title="You were not signed out" open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
