package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// proxies are the reverse proxies that the operator trusts. What a request of theirs
// says of its origin is believed: X-Forwarded-For, -Proto and -Host, as nginx and
// Caddy send them. Of anybody else these headers are what a visitor wrote.
type proxies []netip.Prefix

// addresses reads the address of the visitor: with trusted proxies the last one in
// X-Forwarded-For that is none of theirs, since a visitor can write those before it.
func (p proxies) addresses() echo.IPExtractor {
	if len(p) == 0 {
		return echo.ExtractIPDirect()
	}
	options := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, n := range p {
		bits := n.Addr().BitLen()
		options = append(options, echo.TrustIPRange(&net.IPNet{IP: n.Addr().AsSlice(), Mask: net.CIDRMask(n.Bits(), bits)}))
	}
	return echo.ExtractIPFromXFFHeader(options...)
}

// sent reports whether a trusted proxy passed the request on.
func (p proxies) sent(r *http.Request) bool {
	from := peer(r)
	for _, n := range p {
		if n.Contains(from) {
			return true
		}
	}
	return false
}

// peer is the other end of the connection; the zero address where it has none.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// forwarded puts the name that the visitor asked for in the place of the one the proxy
// asked for: nginx, told nothing else, sends its own.
func (s *Server) forwarded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if host := last(r.Header, "X-Forwarded-Host"); host != "" && s.cfg.TrustedProxies.sent(r) {
			r.Host = host
		}
		return next(c)
	}
}

// encrypted reports whether the visitor's connection is TLS, here or at a trusted proxy.
func (s *Server) encrypted(c echo.Context) bool {
	r := c.Request()
	return c.IsTLS() ||
		s.cfg.TrustedProxies.sent(r) && strings.EqualFold(last(r.Header, echo.HeaderXForwardedProto), "https")
}

// last is the value that the nearest proxy wrote: one that appends leaves the others in front.
func last(h http.Header, name string) string {
	all := h.Values(name)
	if len(all) == 0 {
		return ""
	}
	values := strings.Split(all[len(all)-1], ",")
	return strings.TrimSpace(values[len(values)-1])
}
