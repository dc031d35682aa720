import { type Claims, takeOneOf } from "../../values/claims.ts";

export interface ExportPlace {
  isOpen: boolean;
  /** Releases it; may be called repeatedly. */
  close(): void;
}

/**
 * Takes one of the owner's places; null if all are taken.
 * @param of the owner: an organization's number, or `staff`
 */
export function takePlace(places: Claims, of: string, placesMax: number): ExportPlace | null {
  const name = takeOneOf(places, of, placesMax);
  if (name === null) return null;
  const place: ExportPlace = {
    isOpen: true,
    close() {
      if (!place.isOpen) return;
      place.isOpen = false;
      places.giveBack(name);
    },
  };
  return place;
}
