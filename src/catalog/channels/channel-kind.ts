export const CHANNEL_KINDS = ["channel", "chat"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];
