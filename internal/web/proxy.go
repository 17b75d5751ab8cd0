package web

import (
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// proxies are the reverse proxies that the operator trusts. Their headers about a request's origin are used:
// X-Forwarded-For, -Proto and -Host, as sent by nginx and Caddy. From others, these headers are written by the
// visitor and ignored.
type proxies []netip.Prefix

// addresses finds the address of the visitor: with trusted proxies, the last address in X-Forwarded-For that is not
// one of them, since visitors can write those before it.
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

// peer is the other end of the connection; the zero address if it has none.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// forwarded replaces the host that the proxy requested by the one that the visitor requested: without
// configuration, nginx sends its own.
func (s *Server) forwarded(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if host := last(r.Header, "X-Forwarded-Host"); host != "" && s.cfg.TrustedProxies.sent(r) {
			r.Host = host
		}
		return next(c)
	}
}

// encrypted reports whether the visitor's connection uses TLS, here or at a trusted proxy.
func (s *Server) encrypted(c echo.Context) bool {
	r := c.Request()
	return c.IsTLS() ||
		s.cfg.TrustedProxies.sent(r) && strings.EqualFold(last(r.Header, echo.HeaderXForwardedProto), "https")
}

// last is the value written by the nearest proxy; proxies that append keep the others in front.
func last(h http.Header, name string) string {
	all := h.Values(name)
	if len(all) == 0 {
		return ""
	}
	values := strings.Split(all[len(all)-1], ",")
	return strings.TrimSpace(values[len(values)-1])
}
