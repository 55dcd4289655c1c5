/** Constructors of WebRTC, whose connections no content security policy of Chromium restricts. */
const constructors = [
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'RTCDataChannel',
  'RTCIceTransport',
  'RTCDtlsTransport',
  'RTCSctpTransport',
]

/** Removes WebRTC from a global object for good. Imported before everything else, so that no other script has used it. */
export function removeWebRtc(target: object): void {
  for (const name of constructors)
    Object.defineProperty(target, name, { value: undefined, configurable: false, writable: false })
}

removeWebRtc(globalThis)
