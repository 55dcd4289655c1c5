/** WebRTC constructors. No content security policy of Chromium restricts their connections. */
const constructors = [
  'RTCPeerConnection',
  'webkitRTCPeerConnection',
  'RTCDataChannel',
  'RTCIceTransport',
  'RTCDtlsTransport',
  'RTCSctpTransport',
]

/**
 * Permanently removes WebRTC from a global object. Import this module first, so that no other script can keep a
 * reference.
 */
function removeWebRtc(target: object): void {
  for (const name of constructors)
    Object.defineProperty(target, name, { value: undefined, configurable: false, writable: false })
}

removeWebRtc(globalThis)
