/** A piece of one byte takes a hundred in memory, so these many are joined as soon as they have come. */
const JOINED = 1_024;

/** Collects the pieces of something long in order, to be joined when it is whole. */
export interface Pieces<Piece> {
  add(piece: Piece): void;
  /** All pieces as one. Begins anew. */
  take(): Piece;
}

export function pieces<Piece>(join: (parts: Piece[]) => Piece): Pieces<Piece> {
  let joined: Piece[] = [];
  let recent: Piece[] = [];
  return {
    add(piece) {
      recent.push(piece);
      if (recent.length < JOINED) return;
      joined.push(join(recent));
      recent = [];
    },
    take() {
      const all = [...joined, ...recent];
      [joined, recent] = [[], []];
      const [first] = all;
      return all.length === 1 && first !== undefined ? first : join(all);
    },
  };
}
