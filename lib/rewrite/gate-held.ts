/** Thrown in place of sending while nobody may send: this process may have lost the run. Not a failure; it is tried again later. */
export class GateHeld extends Error {}
